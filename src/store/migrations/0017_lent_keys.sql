-- running instances must stop
-- Keys that are less than their owner. An instance of the version before would serve a restricted key without its restrictions.
alter table keys.api_keys
  -- Null: all scopes but `lend`, and no other restriction.
  add column scopes text[],
  -- Milliseconds.
  add column expires_at bigint,
  add column cidrs text[],
  add column caps jsonb,
  -- The key that lent it: it ends with that key, which counts its use too.
  add column parent text references keys.api_keys (key_id),
  -- How often the secret was replaced. The one before is valid until `previous_until`, in milliseconds.
  add column rotation integer not null default 0,
  add column previous_sha256 bytea check (octet_length(previous_sha256) = 32),
  add column previous_until bigint,
  -- What entries have used of the caps on this UTC day, in days since 1970.
  add column used_day integer not null default 0,
  add column used_notional numeric not null default 0,
  add column used_orders integer not null default 0;
create index api_keys_children on keys.api_keys (parent) where parent is not null;

-- What transactions have reserved of the caps of a key and of the keys above it. Rows are deleted when they expire.
create table keys.cap_uses (
  hash text not null,
  key_id text not null references keys.api_keys (key_id),
  day integer not null,
  notional numeric not null,
  -- True: the transaction did not succeed. The row remains for a while, because that may prove to be false.
  released boolean not null default false,
  -- The database transaction that counted it last.
  counted_in bigint not null,
  -- Milliseconds. A reservation that is not released by then ends.
  expires_at bigint not null,
  primary key (hash, key_id)
);
create index cap_uses_by_expiry on keys.cap_uses (expires_at);
create index cap_uses_by_key on keys.cap_uses (key_id, expires_at);
