-- A row of idx.fills repeated one of idx.opens or idx.trades. It knew more only of trades whose opening is not archived: what their events say of the position.
alter table idx.trades
  add event_asset text,
  add event_direction smallint,
  add event_size numeric(39, 0);
update idx.trades t set event_asset = f.asset, event_direction = f.direction, event_size = f.size
  from idx.fills f where f.seq = t.seq and t.asset is null;
create index trades_by_event_asset on idx.trades (event_asset, seq) where event_asset is not null;
drop table idx.fills;
