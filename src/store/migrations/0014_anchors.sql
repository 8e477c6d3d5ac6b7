-- Ledgers of each indexed chain by their hashes, which no other chain has: every recent one, and fewer the older they are.
create table idx.anchors (
  chain int not null,
  ledger bigint not null,
  hash text not null,
  -- Null where an earlier version stored the hash alone.
  previous_hash text,
  close_ts bigint,
  primary key (chain, ledger)
);
insert into idx.anchors (chain, ledger, hash)
  select anchor_chain, anchor_ledger, anchor_hash from idx.cursor where anchor_chain is not null and anchor_ledger is not null and anchor_hash is not null;
alter table idx.cursor
  drop column anchor_chain, drop column anchor_ledger, drop column anchor_hash,
  -- Close times prove nothing about a chain.
  drop column seen_ledger, drop column seen_ledger_close_ts;

-- Sections of the log. A chain that comes back continues its epoch, in another section.
create table idx.sections (
  first_seq bigint primary key,
  -- Null for the current section.
  last_seq bigint,
  epoch int not null references idx.epochs (number)
);
insert into idx.sections (first_seq, last_seq, epoch)
  select first_seq, lead(first_seq) over (order by first_seq) - 1, epoch
  from (
    -- An epoch without events has no section, unless it is the current one.
    select distinct on (first_seq) first_seq, epoch
    from (
      select e.number as epoch, 1 + greatest(
        (select coalesce(max(l.last_seq), 0) from idx.ledgers l where l.epoch < e.number),
        (select coalesce(max(g.last_seq), 0) from idx.gaps g where g.epoch < e.number)) as first_seq
      from idx.epochs e
    ) starts order by first_seq, epoch desc
  ) sections;

-- An event of one chain is archived once, in whichever epoch it arrived.
alter table idx.events add column chain int;
update idx.events v set chain = e.chain from idx.epochs e where e.number = v.epoch;
alter table idx.events alter column chain set not null;
delete from idx.events v using idx.events first
  where first.chain = v.chain and left(first.event_id, 30) = left(v.event_id, 30) and first.seq < v.seq;
create unique index events_once_per_chain on idx.events (chain, left(event_id, 30) collate "C");
