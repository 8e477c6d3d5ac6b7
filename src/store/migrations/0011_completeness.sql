-- How many ids of the exchange events have told of: the market's positions and orders, the factory's vaults. Ids are given out one after the other, so that
-- what is missing can be counted without looking for it.
create table idx.told_ids (
  -- The epoch that named the contract first.
  home int not null references idx.epochs (number),
  kind text not null check (kind in ('position', 'order', 'vault')),
  -- The first that was told of; those before it are not counted.
  first_id bigint not null,
  told bigint not null,
  primary key (home, kind)
);

insert into idx.told_ids (home, kind, first_id, told)
select deployment, 'position', min(position_id), count(*) from idx.positions where opened_tx_hash is not null group by deployment;

insert into idx.told_ids (home, kind, first_id, told)
select home, 'vault', min(vault_id), count(*) from idx.vaults group by home;

with first_orders as (
  select deployment, min(order_id) as id from idx.placed_orders group by deployment
), named as (
  select p.deployment, (e.payload ->> 'orderId')::numeric::bigint as id
  from idx.events e join idx.epochs p on p.number = e.epoch and p.contracts ->> 'market' = e.contract_id
  where e.topic in ('order_placed', 'order_executed', 'order_cancelled') and e.payload is not null
)
insert into idx.told_ids (home, kind, first_id, told)
select f.deployment, 'order', f.id, count(distinct n.id)
from first_orders f join named n on n.deployment = f.deployment and n.id >= f.id
group by f.deployment, f.id;

-- How many events the archive has of each topic; topic unknown: could not be decoded.
create table idx.event_counts (
  epoch int not null references idx.epochs (number),
  topic text not null,
  events bigint not null,
  primary key (epoch, topic)
);

insert into idx.event_counts (epoch, topic, events)
select epoch, case when problem is null then topic else 'unknown' end, count(*) from idx.events group by 1, 2;

-- Null: could not be compared so far.
alter table idx.reconciliation
  add column orders_expected bigint,
  add column orders_missing bigint,
  add column vaults_expected bigint,
  add column vaults_missing bigint;
