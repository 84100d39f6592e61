;; A unit that recharges its shield, cools and spends energy: five reads, two calls, three writes.
;; A unit is a vector: hull, mass, shield, heat, energy.
(define (regenerate charge power)
  (if (< charge 100.0) (+ charge (* power 0.01)) (- charge 90.0)))

(define (cool warmth bulk)
  (- warmth (/ (* warmth 40.0) (+ bulk 100.0))))

(define (update unit)
  (vector-set! unit 2 (regenerate (vector-ref unit 2) (vector-ref unit 4)))
  (vector-set! unit 3 (+ (cool (vector-ref unit 3) (vector-ref unit 1)) (* (vector-ref unit 0) 0.001)))
  (vector-set! unit 4
    (if (< (vector-ref unit 4) 1.0) (+ 100.0 (vector-ref unit 3)) (- (vector-ref unit 4) 0.25)))
  (vector-ref unit 4))
