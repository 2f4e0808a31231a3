import { createBlock } from '@ethereumjs/block';
import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { SimpleStateManager } from '@ethereumjs/statemanager';
import { createTxFromRLP, getCalldataFloorGas } from '@ethereumjs/tx';
import { Account, createAddressFromString, hexToBytes } from '@ethereumjs/util';
import { createVM, runTx } from '@ethereumjs/vm';
import type { Hex } from 'viem';
import type { RulesName } from '../../../../src/core/transactions/gas-rules.ts';
import { DELEGATE, type RandomTransaction } from './random-transactions.ts';

/** All EIPs of Amsterdam that change gas or limits of a transaction: EthereumJS 10.1.3 has each. */
export const AMSTERDAM_EIPS = [2780, 7778, 7954, 7976, 7981, 8037, 8038] as const;

export interface Judgement {
  readonly intrinsic: number;
  readonly floor: number;
  /** Why a block cannot include it; `null`: it does. */
  readonly refusal: string | null;
  /** It was included, and failed since its gas did not suffice. */
  readonly isOutOfGas: boolean;
}

/** Runs transactions by the rules of one fork as EthereumJS has them. */
export function createJudge(name: RulesName) {
  const hardfork = name === 'osaka' ? Hardfork.Osaka : Hardfork.Amsterdam;
  // Verifies the proofs of blobs, which the form of a block does not have.
  const customCrypto = { kzg: {} as never };
  const common = new Common({ chain: Mainnet, hardfork, customCrypto });
  const read = (raw: Hex) => createTxFromRLP(hexToBytes(raw), { common });
  const least = (raw: Hex) => {
    const transaction = read(raw);
    const [intrinsic, floor] = [transaction.getIntrinsicGas(), getCalldataFloorGas(transaction)];
    return { transaction, intrinsic: Number(intrinsic), floor: Number(floor) };
  };

  async function judge(of: RandomTransaction): Promise<Judgement> {
    let known = { intrinsic: Number.NaN, floor: Number.NaN };
    try {
      const { transaction, ...needed } = least(of.raw);
      known = needed;
      const stateManager = new SimpleStateManager({ common });
      const vm = await createVM({ common, stateManager });
      for (const [address, account] of accountsOf(of)) {
        await stateManager.putAccount(createAddressFromString(address), account);
      }
      if (of.state === 'delegated' || of.state === 'code') {
        const code = of.state === 'code' ? '0x00' : (`0xef0100${DELEGATE.slice(2)}` as const);
        await stateManager.putCode(createAddressFromString(of.recipient), hexToBytes(code));
      }
      const header = { gasLimit: of.blockGasLimit, baseFeePerGas: 7n, excessBlobGas: 0n, number: 1n };
      const block = createBlock({ header }, { common });
      const { execResult } = await runTx(vm, { tx: transaction, block });
      return { ...known, refusal: null, isOutOfGas: execResult.exceptionError?.error === 'out of gas' };
    } catch (error) {
      return { ...known, refusal: error instanceof Error ? error.message : 'unknown', isOutOfGas: false };
    }
  }

  return {
    isActive: (eip: number) => common.isActivatedEIP(eip),
    /** `null`: no block can include one with these fields, whatever its gas limit is. */
    leastOf(raw: Hex): number | null {
      try {
        const { intrinsic, floor } = least(raw);
        return Math.max(intrinsic, floor);
      } catch {
        return null;
      }
    },
    judge,
  };
}

function* accountsOf({ from, nonce, recipient, state, authorities }: RandomTransaction) {
  for (const authority of authorities) yield [authority, new Account(0n, 1n)] as const;
  if (state !== 'absent') {
    const isUsed = state === 'used';
    yield [recipient, new Account(isUsed ? 5n : 0n, isUsed ? 0n : 1n)] as const;
  }
  yield [from, new Account(BigInt(nonce), 10n ** 30n)] as const;
}
