-- Earlier versions took a chain for another one when a node reported wrong ledger numbers, and archived its events again: under the wrong numbers, and once
-- more when the numbers were right. If the last event of an earlier chain is also in a later one, the later one holds what the earlier one held, except for
-- ledgers that nodes had dropped: the copies of the earlier chain go. Chains that only share a beginning, as after a restored snapshot, stay.
create temporary table repeated_events on commit drop as
  with last_events as (
    select distinct on (chain) chain, seq from idx.events order by chain, seq desc
  ), copies as (
    select e.chain as earlier, f.chain as later, e.seq
    from idx.events e join idx.events f
      on f.tx_hash = e.tx_hash and f.chain > e.chain and f.contract_id = e.contract_id and f.ledger_close_ts = e.ledger_close_ts
        and f.topics_xdr = e.topics_xdr and f.value_xdr = e.value_xdr and substr(f.event_id, 21, 10) = substr(e.event_id, 21, 10)
    where (select max(chain) from idx.epochs) > 1
  )
  select distinct c.seq from copies c join copies last on last.earlier = c.earlier and last.later = c.later
    join last_events l on l.chain = last.earlier and l.seq = last.seq;

create temporary table repeated_epochs on commit drop as
  select distinct epoch from idx.events e join repeated_events r on r.seq = e.seq;

delete from idx.events e using repeated_events r where r.seq = e.seq;
delete from idx.learned_events l using repeated_events r where r.seq = l.seq;

delete from idx.ledgers l using repeated_epochs r where r.epoch = l.epoch;
insert into idx.ledgers (epoch, ledger, close_ts, first_seq, last_seq)
  select e.epoch, e.ledger, min(e.ledger_close_ts), min(e.seq), max(e.seq)
  from idx.events e join repeated_epochs r on r.epoch = e.epoch group by e.epoch, e.ledger;

delete from idx.event_counts c using repeated_epochs r where r.epoch = c.epoch;
insert into idx.event_counts (epoch, topic, events)
  select e.epoch, case when e.problem is null then e.topic else 'unknown' end, count(*)
  from idx.events e join repeated_epochs r on r.epoch = e.epoch group by 1, 2;

-- The indexer rebuilds projections of an unknown version.
update idx.cursor set projections_version = null, unknown_events = (select count(*) from idx.events where problem is not null)
  where exists (select 1 from repeated_events);
