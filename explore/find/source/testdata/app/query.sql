SELECT embedded FROM t WHERE id = $1
