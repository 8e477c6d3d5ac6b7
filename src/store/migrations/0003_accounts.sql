-- Whose order it is, for orders that no order_placed event tells of: read from ledger entries. Source data: a rebuild keeps it.
create table idx.order_owners (
  deployment int not null references idx.epochs (number),
  order_id bigint not null,
  owner text not null,
  ledger bigint not null,
  observed_at bigint not null,
  primary key (deployment, order_id)
);

-- From here on projections: a rebuild empties and refills them from the archive.

-- Orders whose placement the log tells.
create table idx.placed_orders (
  deployment int not null references idx.epochs (number),
  order_id bigint not null,
  trader text not null,
  primary key (deployment, order_id)
);

-- Executions and cancellations of orders whose owner is not known; a row moves to account_events when that becomes known.
create table idx.ownerless_events (
  seq bigint primary key,
  deployment int not null references idx.epochs (number),
  order_id bigint not null,
  ts bigint not null,
  topic text not null
);
create index ownerless_events_newest on idx.ownerless_events (deployment, seq);
create index ownerless_events_by_order on idx.ownerless_events (deployment, order_id);

-- Which events concern which account, one row per account and event: a feed reads its own rows and no others.
create table idx.account_events (
  account text not null,
  seq bigint not null,
  topic text not null,
  -- What has a list of its own; null for everything else.
  kind text check (kind in ('order', 'position')),
  primary key (account, seq)
);
create index account_events_by_topic on idx.account_events (account, topic, seq);
create index account_events_by_kind on idx.account_events (account, kind, seq) where kind is not null;

-- What is in the archive already, as the projections would have written it.
insert into idx.placed_orders (deployment, order_id, trader)
select p.deployment, (e.payload ->> 'orderId')::bigint, min(e.payload ->> 'trader')
from idx.events e join idx.epochs p on p.number = e.epoch and p.contracts ->> 'market' = e.contract_id
where e.topic = 'order_placed' and e.payload is not null
group by 1, 2;

insert into idx.account_events (account, seq, topic, kind)
select distinct role.account, e.seq, e.topic,
  case
    when e.topic in ('order_placed', 'order_executed', 'order_cancelled') then 'order'
    when e.topic in ('position_opened', 'position_closed', 'position_liquidated') then 'position'
  end
from idx.events e
cross join lateral (
  select e.payload ->> key as account from unnest(array['trader', 'depositor', 'withdrawer', 'leader', 'referrer', 'referee', 'keeper']) as key
) role
where e.payload is not null and role.account is not null;

insert into idx.account_events (account, seq, topic, kind)
select o.trader, e.seq, e.topic, 'order'
from idx.events e join idx.epochs p on p.number = e.epoch and p.contracts ->> 'market' = e.contract_id
join idx.placed_orders o on o.deployment = p.deployment and o.order_id = (e.payload ->> 'orderId')::bigint
where e.topic in ('order_executed', 'order_cancelled') and e.payload is not null;

insert into idx.ownerless_events (seq, deployment, order_id, ts, topic)
select e.seq, p.deployment, (e.payload ->> 'orderId')::bigint, e.ledger_close_ts, e.topic
from idx.events e join idx.epochs p on p.number = e.epoch and p.contracts ->> 'market' = e.contract_id
left join idx.placed_orders o on o.deployment = p.deployment and o.order_id = (e.payload ->> 'orderId')::bigint
where e.topic in ('order_executed', 'order_cancelled') and e.payload is not null and o.order_id is null;
