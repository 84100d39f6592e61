;; What a hit does, by the kind of weapon and the armour it meets.
(define (damage d t m)
  (let* ([base (+ (* d 1.25) 3.0)]
         [met (cond
                [(= t 0.0) (- base m)]
                [(= t 1.0) (* base (- 1.0 (/ m (+ m 100.0))))]
                [(= t 2.0) (- (* base 0.5) (* m 0.25))]
                [else base])]
         [raised (if (> met 50.0) (* met 1.5) met)]
         [bounded (if (< raised 1.0) 1.0 (if (> raised 999.0) 999.0 raised))])
    (+ (* bounded 0.9) (* t 0.1))))
