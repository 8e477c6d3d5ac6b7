-- Issuing a key counts the owner's active keys, however many were revoked before.
create index api_keys_active on keys.api_keys (owner) where revoked_at is null;

-- The challenge that proved the owner, null for keys of the operator. A challenge yields one key at most, whatever an instance remembers.
alter table keys.api_keys add column challenge bytea unique check (octet_length(challenge) = 32);
