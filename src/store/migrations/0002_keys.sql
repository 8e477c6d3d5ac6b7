-- What users were given. Primary data, unlike everything derived from the chain: nothing could tell it again.
create schema keys;

create table keys.api_keys (
  -- The order of issuance: a clock may give two keys the same millisecond.
  seq bigint generated always as identity primary key,
  key_id text not null unique check (key_id ~ '^nk_[0-9a-f]{24}$'),
  -- The secret itself is nowhere.
  secret_sha256 bytea not null check (octet_length(secret_sha256) = 32),
  owner text not null check (owner ~ '^G[A-Z2-7]{55}$'),
  tier text not null check (tier in ('standard', 'market_maker')),
  label text check (char_length(label) <= 64),
  -- Milliseconds.
  created_at bigint not null,
  last_used_at bigint,
  revoked_at bigint
);
create index api_keys_of_owner on keys.api_keys (owner, seq);
