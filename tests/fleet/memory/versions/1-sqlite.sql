CREATE TABLE memory (
    version INTEGER NOT NULL,
    migrated DOUBLE NOT NULL,
    CONSTRAINT pk_memory PRIMARY KEY (version)
);

CREATE TABLE campaign (
    id INTEGER NOT NULL,
    name VARCHAR(200) NOT NULL,
    identity VARCHAR(64) NOT NULL,
    fleet TEXT NOT NULL,
    started DOUBLE NOT NULL,
    ended DOUBLE,
    CONSTRAINT pk_campaign PRIMARY KEY (id),
    CONSTRAINT uq_campaign_name UNIQUE (name)
);

CREATE INDEX ix_campaign_identity ON campaign (identity);

CREATE TABLE suite (
    id INTEGER NOT NULL,
    version VARCHAR(100) NOT NULL,
    digest VARCHAR(64) NOT NULL,
    CONSTRAINT pk_suite PRIMARY KEY (id),
    CONSTRAINT uq_suite_digest UNIQUE (digest)
);

CREATE TABLE revision (
    name VARCHAR(20) NOT NULL,
    CONSTRAINT pk_revision PRIMARY KEY (name)
);

CREATE TABLE blob (
    digest VARCHAR(64) NOT NULL,
    size BIGINT NOT NULL,
    packed BLOB NOT NULL,
    CONSTRAINT pk_blob PRIMARY KEY (digest)
);

CREATE TABLE requirement (
    suite INTEGER NOT NULL,
    id VARCHAR(100) NOT NULL,
    level VARCHAR(20) NOT NULL,
    class VARCHAR(40) NOT NULL,
    section TEXT NOT NULL,
    statement TEXT NOT NULL,
    CONSTRAINT pk_requirement PRIMARY KEY (suite, id),
    CONSTRAINT fk_requirement_suite FOREIGN KEY(suite) REFERENCES suite (id)
);

CREATE TABLE run (
    id INTEGER NOT NULL,
    campaign INTEGER,
    target VARCHAR(200) NOT NULL,
    attempt INTEGER NOT NULL,
    state VARCHAR(10) NOT NULL,
    labels JSON NOT NULL,
    needs VARCHAR(200) NOT NULL,
    retries INTEGER NOT NULL,
    rank DOUBLE NOT NULL,
    "exclusive" VARCHAR(200) NOT NULL,
    spends BOOLEAN NOT NULL,
    coordinator VARCHAR(100),
    claim VARCHAR(32),
    lease DOUBLE,
    guard VARCHAR(32),
    worker TEXT,
    queued DOUBLE,
    started DOUBLE,
    ended DOUBLE,
    outcome VARCHAR(20),
    reason TEXT,
    exit_code INTEGER,
    verdict VARCHAR(20),
    complete BOOLEAN NOT NULL,
    base_url TEXT,
    product JSON,
    suite INTEGER,
    revision VARCHAR(20),
    depth VARCHAR(20),
    seed BIGINT,
    duration DOUBLE,
    exchanges INTEGER,
    CONSTRAINT pk_run PRIMARY KEY (id),
    CONSTRAINT uq_run_campaign_target_attempt UNIQUE (campaign, target, attempt),
    CONSTRAINT ck_run_state CHECK (state IN ('queued', 'running', 'done', 'lost')),
    CONSTRAINT fk_run_campaign FOREIGN KEY(campaign) REFERENCES campaign (id),
    CONSTRAINT fk_run_suite FOREIGN KEY(suite) REFERENCES suite (id),
    CONSTRAINT fk_run_revision FOREIGN KEY(revision) REFERENCES revision (name)
);

CREATE INDEX ix_run_campaign_state ON run (campaign, state);

CREATE INDEX ix_run_target_started ON run (target, started);

CREATE UNIQUE INDEX uq_run_running ON run ("exclusive") WHERE state = 'running';

CREATE TABLE verdict (
    run INTEGER NOT NULL,
    requirement VARCHAR(100) NOT NULL,
    operation VARCHAR(60) NOT NULL,
    verdict VARCHAR(20) NOT NULL,
    message TEXT,
    known TEXT,
    CONSTRAINT pk_verdict PRIMARY KEY (run, requirement, operation),
    CONSTRAINT fk_verdict_run FOREIGN KEY(run) REFERENCES run (id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX ix_verdict_failed ON verdict (requirement, verdict);

CREATE TABLE cause (
    run INTEGER NOT NULL,
    number INTEGER NOT NULL,
    requirement VARCHAR(100) NOT NULL,
    operations JSON NOT NULL,
    also JSON NOT NULL,
    exchange TEXT,
    CONSTRAINT pk_cause PRIMARY KEY (run, number),
    CONSTRAINT fk_cause_run FOREIGN KEY(run) REFERENCES run (id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE observation (
    run INTEGER NOT NULL,
    id VARCHAR(100) NOT NULL,
    subject VARCHAR(200) NOT NULL,
    "values" JSON NOT NULL,
    CONSTRAINT pk_observation PRIMARY KEY (run, id, subject),
    CONSTRAINT fk_observation_run FOREIGN KEY(run) REFERENCES run (id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE latency (
    run INTEGER NOT NULL,
    operation VARCHAR(60) NOT NULL,
    count INTEGER NOT NULL,
    median DOUBLE NOT NULL,
    p25 DOUBLE,
    p75 DOUBLE,
    p95 DOUBLE NOT NULL,
    max DOUBLE NOT NULL,
    CONSTRAINT pk_latency PRIMARY KEY (run, operation),
    CONSTRAINT fk_latency_run FOREIGN KEY(run) REFERENCES run (id) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE TABLE artefact (
    run INTEGER NOT NULL,
    name VARCHAR(100) NOT NULL,
    digest VARCHAR(64) NOT NULL,
    CONSTRAINT pk_artefact PRIMARY KEY (run, name),
    CONSTRAINT fk_artefact_run FOREIGN KEY(run) REFERENCES run (id) ON DELETE CASCADE,
    CONSTRAINT fk_artefact_digest FOREIGN KEY(digest) REFERENCES blob (digest)
)
 WITHOUT ROWID;

CREATE INDEX ix_artefact_digest ON artefact (digest);

INSERT INTO memory VALUES (1, 1793498400.0);
INSERT INTO campaign (name, identity, fleet, started, ended)
VALUES ('night-1', 'fleet', '', 1793498400.0, 1793502000.0);
INSERT INTO suite (version, digest) VALUES ('0.1.0', 'a digest');
INSERT INTO requirement VALUES (1, 'read/success', 'must', 'read', 'Endpoints', 'Every operation returns 200.');
INSERT INTO revision VALUES ('2026-12');
INSERT INTO run (campaign, target, attempt, state, labels, needs, retries, rank, exclusive, spends,
    started, ended, outcome, exit_code, verdict, complete, base_url, suite, revision, depth, seed, duration, exchanges)
VALUES (1, 'eu', 1, 'done', '[]', '', 1, 0.0, 'eu', FALSE,
    1793498400.0, 1793498410.0, 'non-conformant', 1, 'non-conformant', TRUE, 'https://eu.example.com/v1', 1, '2026-12',
    'standard', 1, 10.0, 5000);
INSERT INTO verdict VALUES (1, 'read/success', '', 'fail', 'it returned 500', NULL);
INSERT INTO verdict VALUES (1, 'read/success', 'account_get', 'fail', 'it returned 500', NULL);
INSERT INTO latency VALUES (1, 'account_get', 12, 0.02, 0.01, 0.03, 0.05, 0.06);
