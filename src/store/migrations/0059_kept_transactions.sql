-- Transactions whose record has a form of a later protocol, until a version of the gateway can read it: nodes drop them after a week.
create table idx.kept_transactions (
  deployment int not null,
  tx_hash text not null,
  -- Of its first event.
  seq bigint not null,
  envelope_xdr text not null,
  meta_xdr text not null,
  -- The newest protocol that the version knew which could not read it.
  known_protocol int not null,
  kept_at bigint not null,
  primary key (deployment, tx_hash)
);
