import { formatCount } from '../units.ts';
import type { Obstacle } from './auto-tx-state.ts';
import type { Check } from './kept-auto-tx.ts';
import type { PreflightFacts } from './preflight-facts.ts';

/** EIP-7825 (since Osaka): the most gas of one transaction. */
const MOST_GAS = 16_777_216n;
/** EIP-3860 (since Shanghai): the most bytes of code that make a contract. */
const MOST_INITCODE = 49_152;
/** Ethereum and its public test networks, which have Osaka; other chains have limits of their own. */
const HAS_LIMITS: ReadonlySet<number> = new Set([1, 17_000, 560_048, 11_155_111]);

type Facts = Pick<PreflightFacts, 'transaction' | 'chainId'>;

/** Whether a block can take its gas limit and what it makes a contract from. */
export function gasCheck(facts: Facts): Check {
  const name = 'intrinsic-gas';
  const obstacle = gasObstacle(facts);
  if (obstacle !== null) return { name, ok: false, message: obstacle.message };
  const { gasLimit, intrinsicGas } = facts.transaction;
  const message = `its ${limitWords(gasLimit)} covers the ${count(intrinsicGas)} that it takes to begin with`;
  return { name, ok: true, message };
}

/** Why no block ever takes its gas or its code; `null`: one can. */
export function gasObstacle({ transaction, chainId }: Facts): Obstacle | null {
  const { gasLimit, intrinsicGas, to, data } = transaction;
  const hasLimits = HAS_LIMITS.has(chainId);
  if (gasLimit < intrinsicGas) {
    const message = `its ${limitWords(gasLimit)} is below the ${count(intrinsicGas)} that it takes to begin with: no block takes it; sign it again with more`;
    return { code: 'gas_too_low', message };
  }
  if (hasLimits && gasLimit > MOST_GAS) {
    const message = `its ${limitWords(gasLimit)} is above the ${count(MOST_GAS)} that a transaction may have (EIP-7825): no block takes it; sign it again with less`;
    return { code: 'gas_too_high', message };
  }
  const bytes = data.length / 2 - 1;
  if (hasLimits && to === null && bytes > MOST_INITCODE) {
    const message = `it makes a contract from ${formatCount(bytes)} bytes of code, and ${formatCount(MOST_INITCODE)} are the most (EIP-3860): no block takes it; make it shorter and sign it again`;
    return { code: 'code_too_long', message };
  }
  return null;
}

const limitWords = (gasLimit: bigint) => `gas limit of ${count(gasLimit)}`;

const count = (gas: bigint) => formatCount(Number(gas));
