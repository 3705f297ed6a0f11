;; Nothing counts here.
(module
  (func (export "f") (loop $again (br $again)))
)
