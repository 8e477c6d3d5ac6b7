-- Corrections with both values, so that they can be published. Null: there was none, or, before this migration, it was not recorded.
alter table idx.corrections add before jsonb;
alter table idx.corrections add after jsonb;
update idx.corrections set after = jsonb_build_object('trader', trader, 'asset', asset, 'direction', direction, 'size', size::text,
  'entryPrice', entry_price::text, 'openedAt', opened_at, 'marginMode', margin_mode) where trader is not null;

-- The open interest of an asset is corrected without a position.
alter table idx.corrections alter position_id drop not null;
alter table idx.corrections drop constraint corrections_kind_check;
alter table idx.corrections add constraint corrections_kind_check check (kind in ('ended', 'changed', 'opened', 'interest'));

-- The position that was corrected may be known only from before.
update idx.corrections k set trader = p.trader, asset = p.asset from idx.positions p
  where k.trader is null and p.deployment = k.deployment and p.position_id = k.position_id;

create index corrections_by_asset on idx.corrections (asset, place);
create index corrections_by_kind on idx.corrections (kind, place);
create index corrections_by_kind_and_asset on idx.corrections (kind, asset, place);
create index corrections_by_trader on idx.corrections (trader, place);
create index corrections_by_trader_and_asset on idx.corrections (trader, asset, place);
create index corrections_by_trader_and_kind on idx.corrections (trader, kind, place);
create index corrections_by_trader_and_kind_and_asset on idx.corrections (trader, kind, asset, place);
