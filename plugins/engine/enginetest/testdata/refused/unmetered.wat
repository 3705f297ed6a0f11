;; Nothing counts here.
;; wat2wasm --enable-all --debug-names
(module
  (func (export "f") (loop $again (br $again)))
)
