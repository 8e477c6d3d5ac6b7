-- The code of contracts, by the hash of its WASM: the interface that it declares. `spec` is null when the code could not be read or declares nothing;
-- `problem` then says why.
create table idx.contract_code (
  wasm_hash text primary key,
  spec jsonb,
  problem text,
  read_at bigint not null,
  check (spec is null or problem is null)
);

-- Which code each contract ran, and from where on; `contract` is its name in GET /v1/health.
-- `from_event_id` is the exact position on the chain; empty: the code ran at `from_ledger` at the latest.
-- `seq` is the position of an upgrade in the log; null: the first known code of the contract, which is no upgrade.
create table idx.contract_versions (
  chain integer not null,
  address text not null,
  contract text,
  from_ledger bigint not null,
  from_event_id text not null,
  wasm_hash text not null,
  generation text,
  seq bigint,
  noticed_at bigint not null,
  primary key (chain, address, from_ledger, from_event_id)
);
create index contract_versions_by_seq on idx.contract_versions (seq) where seq is not null;

-- The name of an epoch's deployment; null: from before deployments had names.
alter table idx.epochs add column name text;
