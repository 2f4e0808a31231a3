import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ChainRules } from '../../src/core/chain-rules.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { formatCount } from '../../src/core/units.ts';
import {
  gasByChainAlone,
  gasOfAction,
  swapGas,
  USUAL_ACTIONS,
  usualWorkTable,
} from '../../src/core/usual-work.ts';
import { usualWorkCases } from './support/amsterdam.ts';

const BPO2 = { target: 14, max: 21, baseFeeUpdateFraction: 11_684_671 };
const NO_FORK: ChainRules = {
  ...{ rules: 'osaka', source: 'header', since: null, next: null, blobSchedule: BPO2 },
};
const ahead = (kind: 'amsterdam' | 'blobs' | 'unknown'): ChainRules => ({
  ...NO_FORK,
  next: { at: 1_791_294_816, kind, blobSchedule: BPO2 },
});
const amsterdam: ChainRules = { ...NO_FORK, rules: 'amsterdam' };

const actionOf = (name: string) => {
  const found = USUAL_ACTIONS.find((action) => action.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};

describe('the table of usual work', () => {
  it.each([
    ['ETH transfer to a new account', 'ETH transfer, to an account that does not exist yet'],
    ['ERC-20 approve', 'ERC-20 approve, first time'],
    ['ERC-20 transfer', 'ERC-20 transfer, to a holder'],
    ['NFT mint to a new owner', 'NFT mint (ERC-721), first of this owner'],
    ['Swap for a new token', 'swap, Uniswap V3, one hop, for a token not held before'],
  ])('has what was measured: %s', (name, measured) => {
    const found = usualWorkCases().find((each) => each.name === measured);
    const stated = usualWorkTable.find((each) => each.name === name);
    expect(stated).toEqual({
      name,
      osaka: found?.osaka.gasUsed,
      amsterdam: found?.amsterdam.gasUsed,
    });
  });

  it('charges a new slot of state 97,920 gas more by Amsterdam, and a new account 183,600', () => {
    const dearer = (name: string) => {
      const { gas, newHolder } = actionOf(name);
      return (newHolder?.gas.amsterdam ?? 0) - gas.amsterdam;
    };
    expect(['ETH transfer', 'ERC-20 transfer', 'NFT mint'].map(dearer)).toEqual([183_600, 97_920, 97_920]);
  });
});

describe('what an action takes', () => {
  it('follows the rules of the head, with a line of its own where somebody new is dearer', () => {
    const transfer = actionOf('ETH transfer');
    expect(gasOfAction(transfer, NO_FORK)).toEqual({ gas: 21_000, gasNext: null, newHolder: null });
    expect(gasOfAction(transfer, amsterdam)).toEqual({
      ...{ gas: 21_000, gasNext: null },
      newHolder: { name: 'to a new account', gas: 204_600, gasNext: null },
    });
    expect(gasOfAction(actionOf('ERC-20 transfer'), NO_FORK)).toEqual({
      ...{ gas: 34_467, gasNext: null },
      newHolder: { name: 'to a new holder', gas: 51_567, gasNext: null },
    });
    expect(gasOfAction(actionOf('ERC-20 approve'), amsterdam)).toEqual({
      ...{ gas: 128_382, gasNext: null, newHolder: null },
    });
  });

  it('names what Amsterdam is to make of it while that is ahead', () => {
    expect(gasOfAction(actionOf('ETH transfer'), ahead('amsterdam'))).toEqual({
      ...{ gas: 21_000, gasNext: 21_000 },
      newHolder: { name: 'to a new account', gas: 21_000, gasNext: 204_600 },
    });
    expect(gasOfAction(actionOf('Swap'), ahead('amsterdam'))).toEqual({
      ...{ gas: 101_095, gasNext: 139_695 },
      newHolder: { name: 'for a new token', gas: 118_183, gasNext: 237_603 },
    });
  });

  it.each(['blobs', 'unknown'] as const)('states nothing of a fork of the kind %s', (kind) => {
    for (const action of USUAL_ACTIONS)
      expect(gasOfAction(action, ahead(kind))).toEqual(gasOfAction(action, NO_FORK));
  });

  it.each(['own', 'unknown'] as const)('is by Osaka on a chain of %s rules', (rules) => {
    for (const action of USUAL_ACTIONS)
      expect(gasOfAction(action, { ...NO_FORK, rules })).toEqual(gasOfAction(action, NO_FORK));
  });
});

it('savings of alerts count a swap by the rules of the head', () => {
  expect([swapGas('osaka'), swapGas('own'), swapGas('amsterdam')]).toEqual([101_095, 101_095, 139_695]);
});

it.each([
  [1, 'ETH transfer', 21_000],
  [1, 'Swap', null],
  [11_155_111, 'Swap', null],
  [10, 'Swap', 101_095],
  [42_161, 'Swap', 101_095],
] as const)('where nobody says what it takes on chain %i, %s takes %s', (chainId, name, gas) => {
  expect(gasByChainAlone(name, chainProfile(chainId))).toBe(gas);
});

it('the table of usual work is published as it is, with how each number was measured', () => {
  const document = readFileSync('docs/CHAINS.md', 'utf8');
  for (const { name, osaka, amsterdam } of usualWorkTable)
    expect(document).toContain(`| ${name} | ${formatCount(osaka)} | ${formatCount(amsterdam)} | `);
});
