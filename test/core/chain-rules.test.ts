import { describe, expect, it, test } from 'vitest';
import { headerResponse } from '../../src/chain/rpc/decode.ts';
import { readEthConfig } from '../../src/chain/rpc/eth-config.ts';
import {
  chainRules,
  configAt,
  type EthConfig,
  nextBlockTime,
  rulesOfNextBlock,
} from '../../src/core/chain-rules.ts';
import { chainProfile, identifiedChain } from '../../src/core/chains.ts';
import { ethConfigCases, headerCases } from './support/amsterdam.ts';

const HASH = `0x${'1d'.repeat(32)}` as const;
const ETHEREUM = chainProfile(1);
const osakaHead = (timestamp: number) => ({ timestamp, blockAccessListHash: null, slotNumber: null });
const amsterdamHead = (timestamp: number) => ({ timestamp, blockAccessListHash: HASH, slotNumber: 7 });

describe('the rules of a header', () => {
  test.each(headerCases().map((each) => [each.id, each] as const))('%s', (_, { chainId, header, rules }) => {
    const chain = chainProfile(chainId);
    const expected = rules === 'before' ? (chain.gasRules === 'own' ? 'own' : 'osaka') : rules;
    expect(chainRules(headerResponse.parse(header), chain, null).rules).toBe(expected);
  });

  it.each([10, 56, 137, 8_453])('of chain %i prove nothing with the fields of Amsterdam', (id) => {
    expect(chainRules(osakaHead(1), chainProfile(id), null).rules).toBe('osaka');
    expect(chainRules(amsterdamHead(1), chainProfile(id), null).rules).toBe('unknown');
  });

  it('are those of Ethereum on its own networks alone, not on a development chain that borrows an id', () => {
    expect(chainRules(amsterdamHead(1), identifiedChain(1, HASH), null).rules).toBe('unknown');
    expect(chainRules(amsterdamHead(1), identifiedChain(1, null), null).rules).toBe('amsterdam');
  });

  it.each([42_161, 324, 4_711])('do not matter on chain %i, which has its own', (id) => {
    expect(chainRules(amsterdamHead(1), chainProfile(id), null)).toMatchObject({
      rules: 'own',
      source: 'none',
    });
  });
});

const configs = ethConfigCases().map((each) => [each.id, each] as const);
const configOf = (id: string): EthConfig => {
  const found = ethConfigCases().find((each) => each.id === id);
  const config = readEthConfig(found?.response.result, found?.chainId ?? 0);
  if (config === null) throw new Error(`no usable ${id}`);
  return config;
};

describe('an answer to eth_config', () => {
  test.each(configs)('%s', (_, { chainId, headTimestamp, response, expect: expected }) => {
    const config = readEthConfig(response.result, chainId);
    expect(config !== null).toBe(expected.usable);
    if (config === null) return;
    const { isAmsterdam, blobSchedule, next } = configAt(config, headTimestamp);
    expect({ isAmsterdam, blobSchedule, next }).toEqual({
      isAmsterdam: expected.isAmsterdam,
      blobSchedule: expected.blobSchedule,
      next: expected.next,
    });
  });

  it('of another chain is none', () => {
    const sepolia = ethConfigCases().find(({ chainId }) => chainId === 11_155_111);
    expect(readEthConfig(sepolia?.response.result, 1)).toBeNull();
    expect(chainRules(osakaHead(1), ETHEREUM, configOf('sepolia-amsterdam-scheduled')).next).toBeNull();
  });

  it('tells the rules where the header was not read', () => {
    const live = configOf('mainnet-amsterdam-live');
    const { current } = live;
    const at = (timestamp: number) => chainRules({ timestamp }, ETHEREUM, live);
    expect(at(current.activationTime)).toMatchObject({ rules: 'amsterdam', source: 'eth_config' });
    expect(at(current.activationTime - 1)).toMatchObject({ rules: 'osaka', next: { kind: 'amsterdam' } });
    expect(chainRules({ timestamp: 1 }, ETHEREUM, null)).toMatchObject({ rules: 'unknown', source: 'none' });
  });
});

describe('the next block', () => {
  const config = configOf('mainnet-amsterdam-scheduled');
  const at = config.next?.activationTime ?? 0;
  const nextAfter = (timestamp: number) =>
    rulesOfNextBlock(chainRules(osakaHead(timestamp), ETHEREUM, config), timestamp + 12);

  it('has the new rules from the block whose time reaches the fork', () => {
    expect([at - 24, at - 13, at - 12, at - 1].map(nextAfter)).toEqual([
      'osaka',
      'osaka',
      'amsterdam',
      'amsterdam',
    ]);
  });

  it.each([
    [12, -3_000, 12],
    [12, 0, 12],
    [12, 12_000, 12],
    [12, 12_001, 24],
    [12, 59_000, 60],
    [2, 3_500, 4],
    [0.25, 600, 0.75],
    [0, 600, 0],
  ])(
    'has a time of %d s × slots after the head that came %i ms ago: %d s',
    (blockTimeSec, sinceHeadMs, sec) => {
      expect(nextBlockTime(1_000, blockTimeSec, sinceHeadMs)).toBe(1_000 + sec);
    },
  );

  it('has the new rules where the slots before the fork were missed', () => {
    const head = at - 36;
    const rules = chainRules(osakaHead(head), ETHEREUM, config);
    const after = (sec: number) => rulesOfNextBlock(rules, nextBlockTime(head, 12, sec * 1_000));
    expect([0, 12, 24, 25, 90].map(after)).toEqual(['osaka', 'osaka', 'osaka', 'amsterdam', 'amsterdam']);
  });

  it('keeps the rules of the header where the fork did not come at its time', () => {
    expect([at, at + 12, at + 24_000].map(nextAfter)).toEqual(['osaka', 'osaka', 'osaka']);
  });

  it('has the new rules again after a reorg over the fork, also where the answer is newer than the head', () => {
    const live = configOf('mainnet-amsterdam-live');
    const rules = (timestamp: number) => chainRules(osakaHead(timestamp), ETHEREUM, live);
    const { activationTime } = live.current;
    expect(rules(activationTime - 100)).toMatchObject({
      rules: 'osaka',
      next: { at: activationTime, kind: 'amsterdam' },
    });
    expect(rulesOfNextBlock(rules(activationTime - 12), activationTime)).toBe('amsterdam');
  });

  it('has unknown rules at a fork that is not known, and the same at one of blobs', () => {
    const unknown = configOf('mainnet-after-amsterdam-unknown-next');
    const time = unknown.next?.activationTime ?? 0;
    const rules = (timestamp: number) => chainRules(amsterdamHead(timestamp), ETHEREUM, unknown);
    expect(rulesOfNextBlock(rules(time - 100), time - 88)).toBe('amsterdam');
    expect(rulesOfNextBlock(rules(time - 12), time)).toBe('unknown');
    expect(rules(time)).toMatchObject({ rules: 'unknown', source: 'eth_config' });
    const blobs = { ...config, next: { ...config.current, activationTime: at, blobSchedule: null } };
    const ahead = chainRules(osakaHead(at - 12), ETHEREUM, blobs);
    expect(ahead.next).toEqual({ at, kind: 'blobs', blobSchedule: null });
    expect(rulesOfNextBlock(ahead, at)).toBe('osaka');
  });

  it('of another chain than Ethereum has unknown rules at a fork with the contracts of Amsterdam', () => {
    const onBsc = { ...config, chainId: 56 };
    const rules = chainRules(osakaHead(at - 1), chainProfile(56), onBsc);
    expect(rules).toMatchObject({ rules: 'osaka', next: { kind: 'unknown' } });
    expect(rulesOfNextBlock(rules, at)).toBe('unknown');
  });
});
