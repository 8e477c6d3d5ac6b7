-- baseline
-- Which chain the index is of, which code its contracts run, and what of it this version cannot read.

-- Ledgers of each indexed chain by their hashes, which no other chain has: every recent one, and fewer the older they are.
create table idx.anchors (
  chain int not null,
  ledger bigint not null,
  hash text not null,
  previous_hash text not null,
  -- Unix seconds; null where the header has a form of a later protocol.
  close_ts bigint,
  -- Milliseconds, from protocol 30 on, and the protocol after the ledger. The hash covers both.
  close_ms bigint,
  protocol int,
  primary key (chain, ledger)
);

-- What later protocols added and this gateway met, one row for each kind, with the first bytes of it.
create table idx.newer_forms (
  chain int not null,
  what text not null check (length(what) <= 100),
  -- The first ledger that contains it, or before which the index stopped.
  ledger bigint not null,
  is_stop boolean not null,
  xdr text,
  -- The newest protocol that the version knew which met it.
  known_protocol int not null,
  -- When it was met last.
  seen_at bigint not null,
  primary key (chain, what)
);

-- Which code each contract ran, and from where on.
create table idx.contract_versions (
  chain int not null,
  address text not null,
  -- Its name in GET /v1/health.
  contract text not null,
  from_ledger bigint not null,
  -- The exact position on the chain; empty: the code ran at `from_ledger` at the latest.
  from_event_id text not null,
  -- Null: unknown, and `problem` says why.
  wasm_hash text,
  generation text,
  -- The position of an upgrade in the log; null: the first known code of the contract, which is no upgrade.
  seq bigint,
  noticed_at bigint not null,
  problem text,
  -- The entry of another contract that names the code (CAP-85); null: the contract names it itself.
  owner text,
  tag text,
  -- An upgrade that no event reported happened after this ledger, up to `from_ledger`.
  after_ledger bigint,
  primary key (chain, address, from_ledger, from_event_id),
  check ((wasm_hash is null) = (problem is not null)),
  check ((owner is null) = (tag is null))
);
create index contract_versions_by_seq on idx.contract_versions (seq) where seq is not null;

-- The code of contracts, by the hash of its WASM: the interface that it declares. `spec` is null when the code could not be read or declares nothing;
-- `problem` then says why.
create table idx.contract_code (
  wasm_hash text primary key,
  spec jsonb,
  problem text,
  read_at bigint not null,
  check ((spec is null) or (problem is null))
);
