-- baseline
-- API keys: primary data, which nothing can compute again.
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
  revoked_at bigint,
  -- The challenge that proved the owner, null for keys of the operator. A challenge yields one key at most, whatever an instance remembers.
  challenge bytea unique check (octet_length(challenge) = 32)
);
-- Issuing a key counts the owner's active keys, however many were revoked before.
create index api_keys_active on keys.api_keys (owner) where revoked_at is null;
create index api_keys_of_owner on keys.api_keys (owner, seq);
