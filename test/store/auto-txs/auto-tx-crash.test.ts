import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { savingsOf } from '../../../src/core/auto-txs/kept-auto-tx.ts';
import { type AutoTxStatus, isFinal, type NoteKind } from '../../../src/core/auto-txs/state-machine.ts';
import { toKeptAutoTx } from '../../../src/store/auto-tx-rows.ts';
import { AutoTxStore } from '../../../src/store/auto-txs.ts';
import type { Database } from '../../../src/store/database.ts';
import { afterKills, emptyDatabase, expectWhole, SLOW_ENGINES, TEST_KEY } from '../../helpers/databases.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { isSlowRun } from '../../helpers/rounds.ts';
import { buildProgram } from '../../tui/build-program.ts';

const CHANGER = await buildProgram('store/auto-txs/change-until-killed.ts');
const KILLS = isSlowRun ? 40 : 1;

/** All that owners and engine do. */
const CHANGES = ['create', 'disable', 'enable', 'cancel', 'remove', 'submit', 'observe', 'expire'];

/**
 * Lets owners and engine change until the owners have said so many lines, kills both, and answers all that they said.
 * The first run also goes on until each kind of change was made: how far each process comes is the machine's choice.
 */
async function changeAndKill(path: string, run: number, lines: number): Promise<string[]> {
  const start = (role: string) =>
    spawn(process.execPath, [CHANGER, path, role, String(run)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [owners, engine] = [start('owner'), start('engine')];
  const said: string[] = [];
  const missing = new Set(run === 1 ? CHANGES : []);
  let ownerLines = 0;
  const hear = async (child: ReturnType<typeof start>) => {
    const exit = once(child, 'exit');
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line);
      missing.delete(line.split(' ')[0] ?? '');
      if (child === owners) ownerLines += 1;
      if (ownerLines >= lines && missing.size === 0) killBoth();
    }
    // One that ended by itself is not waited for in vain.
    killBoth();
    await exit;
  };
  const killBoth = () => {
    owners.kill('SIGKILL');
    setTimeout(() => engine.kill('SIGKILL'), (run * 5) % 17);
  };
  onTestFinished(killBoth);
  await Promise.all([hear(owners), hear(engine)]);
  return said;
}

/** What the newest line of a timeline may be. */
const LAST_NOTES: Readonly<Record<AutoTxStatus, readonly NoteKind[]>> = {
  DRAFT: [],
  PENDING: ['CREATED', 'ENABLED'],
  DISABLED: ['DISABLED'],
  SUBMITTED: ['SUBMITTED', 'REORGED'],
  EXECUTED: ['EXECUTED'],
  CANCELLED: ['CANCELLED'],
  EXPIRED: ['EXPIRED'],
  FAILED: ['FAILED'],
};

/** Holds rows, notes, bytes and sums against one another. Answers the status of each. */
async function expectAgreement(database: Database): Promise<ReadonlyMap<string, AutoTxStatus>> {
  const store = new AutoTxStore(database);
  const rows = (await database.queries.selectFrom('auto_txs').selectAll().execute()).map(toKeptAutoTx);
  let savedWei = 0n;
  for (const kept of rows) {
    const { status } = kept.state;
    const hasBytes = (await store.signedBytes(kept.id)) !== null;
    expect([kept.id, status, hasBytes]).toEqual([kept.id, status, !isFinal(status)]);
    const [last] = await store.timeline(kept.id);
    expect(LAST_NOTES[status]).toContain(last?.kind);
    if (status === 'EXECUTED') savedWei += savingsOf(kept)?.atCreation?.savedWei ?? 0n;
  }
  expect((await store.savingsSum('')).savedWei).toBe(savedWei);
  const ids = new Set(rows.map(({ id }) => id));
  for (const table of ['auto_tx_events', 'signed_transactions'] as const) {
    const kept = await database.queries.selectFrom(table).select('auto_tx_id').distinct().execute();
    expect(kept.filter((row) => !ids.has(row.auto_tx_id))).toEqual([]);
  }
  return new Map(rows.map(({ id, state }) => [id, state.status]));
}

test.each(SLOW_ENGINES)(
  'killed again and again while owners and engine change them, rows, timelines and bytes agree, on %s',
  async (engine) => {
    const path = await emptyDatabase(engine, 'shared');
    await (await openDatabase(path)).close();
    const said = new Map<string, Set<string>>();
    for (let run = 1; run <= KILLS; run += 1) {
      for (const line of await changeAndKill(path, run, 30 + ((run * 17) % 43))) {
        const [what = '', id = ''] = line.split(' ');
        said.set(id, (said.get(id) ?? new Set()).add(what));
      }
      await afterKills(path);
      const database = await openDatabase(path, TEST_KEY);
      await expectWhole(database);
      const status = await expectAgreement(database);
      await database.close();
      for (const [id, what] of said) {
        // What was cancelled is never sent, and what is sent is not cancelled: whichever process asked for it.
        expect([id, what.has('cancel') && what.has('submit')]).toEqual([id, false]);
        if (what.has('cancel')) expect([undefined, 'CANCELLED']).toContain(status.get(id));
        if (what.has('remove')) expect(status.get(id)).toBeUndefined();
        if (what.has('submit')) expect(['SUBMITTED', 'EXECUTED', 'FAILED']).toContain(status.get(id));
        if (what.has('expire')) expect(status.get(id)).toBe('EXPIRED');
        if (!what.has('remove') && !what.has('cancel')) expect(status.has(id)).toBe(true);
      }
    }
  },
);
