-- baseline
-- What transactions changed in the market's storage. Fills, funding and order placements are computed from it.

-- Transactions of the market whose effects were not read yet.
create table idx.unread_transactions (
  contract_epoch int not null,
  -- Where the block's range begins: a multiple of 256.
  from_seq bigint not null,
  -- The first event of each transaction, ascending.
  seqs bigint[] not null,
  primary key (contract_epoch, from_seq)
);

-- Transactions whose record has a form of a later protocol, until a version of the gateway can read it: nodes drop them after a week.
create table idx.kept_transactions (
  contract_epoch int not null,
  tx_hash text not null,
  -- Of its first event.
  seq bigint not null,
  envelope_xdr text not null,
  meta_xdr text not null,
  -- The newest protocol that the version knew which could not read it.
  known_protocol int not null,
  kept_at bigint not null,
  primary key (contract_epoch, tx_hash)
);

-- What transactions changed in the market's storage, as a node reported it once. Nodes keep it for a week, so it is stored and kept when projections are
-- rebuilt. `effects` is null when no node had the transaction any more.
create table idx.transaction_effects (
  contract_epoch int not null references idx.epochs (number),
  tx_hash text not null,
  ledger bigint not null,
  effects jsonb,
  observed_at bigint not null,
  primary key (contract_epoch, tx_hash)
);
