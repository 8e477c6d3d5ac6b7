-- baseline
-- Referral codes and what came of them. Codes are unique within a `contract_epoch`, the first epoch with their contract on its chain.

-- Who owns which referral code, and what came of it.
create table idx.referrers (
  contract_epoch int not null references idx.epochs (number),
  referrer text not null,
  code text not null,
  created_at bigint not null,
  referred_count bigint not null,
  -- Sum of fees, not of sizes.
  total_volume_generated numeric not null,
  total_earned numeric not null,
  claimable numeric not null,
  -- Close time of the last event that changed it, milliseconds.
  updated_at bigint not null,
  primary key (contract_epoch, referrer)
);
create index referrers_by_code on idx.referrers (contract_epoch, code);

-- Who was referred by whom, once and for good.
create table idx.referral_bindings (
  contract_epoch int not null references idx.epochs (number),
  referee text not null,
  referrer text not null,
  code text not null,
  bound_at bigint not null,
  tx_hash text not null,
  primary key (contract_epoch, referee)
);

create table idx.referral_trades (
  seq bigint primary key,
  referee text not null,
  referrer text not null,
  original_fee numeric(39) not null,
  discount numeric(39) not null,
  payout numeric(39) not null,
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  -- The notional that generation 2 reports beside the fee.
  volume numeric(39)
);
create index referral_trades_by_referrer on idx.referral_trades (referrer, seq);

create table idx.referral_claims (
  seq bigint primary key,
  referrer text not null,
  amount numeric(39) not null,
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null
);
create index referral_claims_by_referrer on idx.referral_claims (referrer, seq);
