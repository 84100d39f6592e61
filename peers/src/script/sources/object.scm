;; The objects of the thesis's four scenarios: what they are asked and told.
;; An object is a vector: hull, hull_max, shield, shield_max, armour, level, morale.

;; Asked in every cycle, by the interface and by those who fly it. Only a hit changes the answers.
(define (status object)
  (let ([share (/ (vector-ref object 0) (vector-ref object 1))])
    (if (> share 0.66) 3.0 (if (> share 0.33) 2.0 1.0))))

(define (speed object)
  (* (+ 20.0 (* (vector-ref object 5) 0.5))
     (+ 0.5 (/ (* 0.5 (vector-ref object 0)) (vector-ref object 1)))))

;; Mostly there is nothing to do.
(define (recover object)
  (let ([shield (+ (vector-ref object 2) 0.25)])
    (vector-set! object 2 (if (< shield (vector-ref object 3)) shield (vector-ref object 3)))
    (vector-ref object 2)))

(define (update object)
  (if (< (vector-ref object 2) (vector-ref object 3)) (recover object) (vector-ref object 2)))

;; Never asked twice with the same place.
(define (aim object place)
  (let* ([ahead (+ (* place 0.5) (vector-ref object 5))]
         [off (- (* ahead ahead) place)])
    (if (> off 0.0) (- ahead (* off 0.01)) (+ ahead 1.0))))

;; A hit of a battle: few weapons, few kinds of armour.
(define (resistance kind plates)
  (cond
    [(= kind 0.0) (* plates 0.4)]
    [(= kind 1.0) (+ (* plates 0.1) 5.0)]
    [(= kind 2.0) 0.0]
    [else (* plates 0.25)]))

(define factors (list 0.95 0.9 1.05 0.98))

(define (weaken rest left)
  (if (null? left) rest (weaken (- (* rest (car left)) 0.1) (cdr left))))

(define (mitigated damage kind plates)
  (let ([rest (weaken (- damage (resistance kind plates)) factors)])
    (if (< rest 1.0) 1.0 rest)))

(define (take-hit object lost)
  (let ([hull (- (vector-ref object 0) lost)])
    (vector-set! object 0 (if (< hull 1.0) (vector-ref object 1) hull))
    (vector-set! object 2 (* (vector-ref object 2) 0.5))
    lost))

(define (hit object damage kind)
  (take-hit object (mitigated damage kind (vector-ref object 4))))

;; A spell: any strength, cast by anybody, met by whatever protects its target.
(define buffs (list (vector 0.0 0.9) (vector 1.0 0.8) (vector 3.0 1.1) (vector 2.0 0.95)))

(define (buffed damage kind left)
  (cond
    [(null? left) damage]
    [(= (vector-ref (car left) 0) kind) (buffed (* damage (vector-ref (car left) 1)) kind (cdr left))]
    [else (buffed damage kind (cdr left))]))

(define (against damage difference)
  (* damage (+ 1.0 (/ difference (+ 40.0 (if (< difference 0.0) (- 0.0 difference) difference))))))

(define (spell object damage kind caster)
  (let ([raw (against (buffed damage kind buffs) (- caster (vector-ref object 5)))])
    (take-hit object (mitigated raw kind (vector-ref object 4)))))

;; A message: the same few again and again, each dear to understand.
(define (worth kind weight step total)
  (if (= step 16)
      total
      (worth kind weight (+ step 1)
             (+ total (* (/ weight (+ step 1)) (if (= (modulo step 4) kind) 2.0 1.0))))))

(define (message object kind weight)
  (vector-set! object 6 (+ (* (vector-ref object 6) 0.5) (worth kind weight 0 0.0)))
  (vector-ref object 6))
