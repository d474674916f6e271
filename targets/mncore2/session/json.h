// What sessions report, as JSON text (docs/howto/emulator.md shows it).
#pragma once

#include <string>

#include "targets/mncore2/session/diverge.h"
#include "targets/mncore2/session/session.h"

namespace kumihimo::mncore2::session {

std::string diagnostic_json(const Diagnostic& d);  // all fields, and "text" for people
std::string position_json(const Session& session);
std::string progress_json(const Session& session, const Progress& progress);
std::string divergence_json(const Session& a, const Session& b, const DivergeReport& report);
std::string statistics_json(const Session& session);  // the cost model's fields, and "text": a table

}  // namespace kumihimo::mncore2::session
