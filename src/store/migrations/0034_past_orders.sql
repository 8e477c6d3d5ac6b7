-- What was pending at an earlier position of the log.

-- An order that has ended is a line from its placement to its end, at the height of its placement, or of its trader (as in 0025_versions.sql).
create index orders_ended_by_placement on idx.orders
  using gist (box(point(seq, seq), point(ended_seq - 1, seq))) where seq is not null and ended_seq is not null;
create index orders_ended_by_trader on idx.orders
  using gist (box(point(seq, hashtext(trader)), point(ended_seq - 1, hashtext(trader)))) where seq is not null and ended_seq is not null;

-- The submissions of an owner at a time, and the changes of each.
create index submission_changes_by_time on tx.submission_changes (owner, changed_at, id);
create index submission_changes_by_hash on tx.submission_changes (owner, hash, id);
