// The TextMate grammar of VSM, for editors that colour text with regular expressions. Printed from the rows of
// instructions, statements and memories: a new row is coloured with the next `./dev gen`.
//
// Regular expressions keep to what every engine reads alike (Oniguruma, Python, JavaScript): groups, sets, alternatives,
// repetition, (?!...) and (?=...).
#pragma once

#include <string>

namespace kumihimo::mncore2::editor {

// JSON; scopeName source.vsm.
std::string textmate_grammar();

}  // namespace kumihimo::mncore2::editor
