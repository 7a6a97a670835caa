// Makes assets/dynoxide-VERSION.db: an empty database with indexes for the last sequence number of a stream, which the engine looks up at
// every write. Needs Node 22.13 or newer: npx --package node@22 node scripts/make-engine-template.mjs
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const engine = createRequire(import.meta.url).resolve(`@dynoxide/${process.platform}-${process.arch}/dynoxide`);
const version = execFileSync(engine, ['--version'], { encoding: 'utf8' }).trim().split(' ').at(-1);
const folder = mkdtempSync(join(tmpdir(), 'edgeloom-template-'));
const file = join(folder, 'template.db');

const child = spawn(engine, ['--port', '0', '--db-path', file]);
while (!existsSync(file)) await delay(50);
await delay(500);
child.kill();
await new Promise((resolve) => child.once('exit', resolve));

const database = new DatabaseSync(file);
database.exec(`
  CREATE INDEX edgeloom_stream_position ON _stream_records (table_name, CAST(sequence_number AS INTEGER));
  CREATE INDEX edgeloom_stream_shard ON _stream_records (table_name, shard_id, CAST(sequence_number AS INTEGER));
  PRAGMA wal_checkpoint(TRUNCATE);
`);
database.close();

const target = fileURLToPath(new URL(`../assets/dynoxide-${version}.db`, import.meta.url));
mkdirSync(fileURLToPath(new URL('../assets', import.meta.url)), { recursive: true });
cpSync(file, target);
rmSync(folder, { recursive: true });
console.log(`wrote ${target}`);
