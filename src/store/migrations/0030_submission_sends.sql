-- When the envelope was sent last, in milliseconds; null: it may not have been sent yet.
alter table tx.submissions add column sent_at bigint;

-- Submissions that the network never had are deleted after some time.
create index submissions_not_sent on tx.submissions (updated_at) where status in ('PREPARED', 'REJECTED');
