import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkAutoTx, checkAutoTxUpdate } from '../../src/contract/auto-txs.ts';
import { EXPIRY_LONGEST_MS } from '../../src/contract/choices.ts';
import { EXPIRY_MOST_MS } from '../../src/core/auto-txs/preflight.ts';
import { rounds } from '../helpers/rounds.ts';

const NOW = Date.UTC(2026, 0, 5, 12);
const TO = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf';
const DRAFT = { to: TO, targetGasPriceGwei: 5 };

const problems = (body: unknown) => {
  const checked = checkAutoTx(body, NOW);
  return checked.ok ? [] : checked.problems;
};
const pathsOf = (body: unknown) => problems(body).map(({ path }) => path);

test('what is left out of a body is filled in', () => {
  expect(checkAutoTx(DRAFT, NOW)).toEqual({
    ok: true,
    value: { ...DRAFT, gasSpeed: 'AVERAGE', strictTargetPrice: false, note: '', expiresAt: null },
  });
});

test('everything that is wrong with a body is said at once, field by field', () => {
  const past = '2025-01-01T00:00:00Z';
  const body = { targetGasPriceGwei: 0, gasSpeed: 'NOW', expiresAt: past, value: '1.5', more: 1 };
  const wrong = ['expiresAt', 'gasSpeed', 'more', 'targetGasPriceGwei', 'to', 'value'];
  expect(pathsOf(body).sort()).toEqual(wrong);
  expect(problems({ ...DRAFT, to: 'vitalik.eth' })).toEqual([
    { path: 'to', message: 'must be an address: 0x and 40 hex digits' },
  ]);
});

test('a draft says whom it is for, or the code of the contract that it makes; what is signed says it itself', () => {
  expect(pathsOf({ targetGasPriceGwei: 5 })).toEqual(['to']);
  expect(pathsOf({ targetGasPriceGwei: 5, to: null })).toEqual(['data']);
  expect(pathsOf({ targetGasPriceGwei: 5, to: null, data: '0x6000' })).toEqual([]);
  expect(pathsOf({ targetGasPriceGwei: 5, signedTransaction: '0x02' })).toEqual([]);
});

test('it expires within 366 days, whatever the offset is written in', () => {
  const at = (ms: number) => pathsOf({ ...DRAFT, expiresAt: new Date(NOW + ms).toISOString() });
  const longest = 366 * 86_400_000;
  expect([at(0), at(1), at(longest), at(longest + 1)]).toEqual([['expiresAt'], [], [], ['expiresAt']]);
  expect(pathsOf({ ...DRAFT, expiresAt: '2026-01-05T13:00:00+02:00' })).toEqual(['expiresAt']);
});

test('call data of the longest size is read, and one digit too few is not', () => {
  const data = `0x${'ab'.repeat(131_072)}`;
  expect(pathsOf({ ...DRAFT, data })).toEqual([]);
  expect(pathsOf({ ...DRAFT, data: data.slice(0, -1) })).toEqual(['data']);
  expect(pathsOf({ ...DRAFT, data: `${data}00` })).toEqual(['data']);
});

test('an update names something that is to change', () => {
  expect(checkAutoTxUpdate({}, NOW)).toMatchObject({ ok: false });
  expect(checkAutoTxUpdate({ note: '' }, NOW)).toEqual({ ok: true, value: { note: '' } });
  expect(checkAutoTxUpdate({ expiresAt: null }, NOW)).toEqual({ ok: true, value: { expiresAt: null } });
});

test('whatever is sent is taken or refused in words, and those never repeat what was signed', () => {
  const signed = 'f86c0a85046c7cfe0083016dea94';
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom(signed, `0x${signed}`, [signed]));
  const names = [
    ...['signedTransaction', 'to', 'value', 'data', 'targetGasPriceGwei', 'gasSpeed', 'strictTargetPrice'],
    ...['note', 'expiresAt', 'status', '__proto__', 'constructor', 'toString'],
  ];
  const body = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...names), value));
  fc.assert(
    fc.property(body, (sent) => {
      for (const checked of [checkAutoTx(sent, NOW), checkAutoTxUpdate(sent, NOW)]) {
        if (checked.ok) continue;
        expect(checked.problems.length).toBeGreaterThan(0);
        for (const { message } of checked.problems) expect(message).not.toMatch(signed);
      }
    }),
    { numRuns: rounds(2_000) },
  );
});

test('the form, the contract and the rules of auto-txs mean the same by the furthest expiry', () => {
  expect(EXPIRY_LONGEST_MS).toBe(EXPIRY_MOST_MS);
});
