-- A contract can run code that an entry of another contract names (CAP-85): `owner` and `tag` are then not null. What it names can be unknown: `wasm_hash` is
-- null then, and `problem` says why. `after_ledger`: an upgrade that no event reported happened after this ledger, up to `from_ledger`.
alter table idx.contract_versions
  alter column wasm_hash drop not null,
  add column problem text,
  add column owner text,
  add column tag text,
  add column after_ledger bigint,
  add check ((wasm_hash is null) = (problem is not null)),
  add check ((owner is null) = (tag is null));
