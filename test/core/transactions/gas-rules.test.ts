import { describe, expect, it } from 'vitest';
import {
  gasNeeded,
  gasProblems,
  RULES,
  type TransactionParts,
} from '../../../src/core/transactions/gas-rules.ts';
import { dataOf, type TransactionCase, transactionCases } from '../support/amsterdam.ts';

const all = transactionCases();

function partsOf(made: TransactionCase): TransactionParts {
  const bytes = Buffer.from(dataOf(made.data).slice(2), 'hex');
  const zeroBytes = bytes.filter((byte) => byte === 0).length;
  const { accessList = [], authorizations = [] } = made;
  const isCounted = 'addresses' in accessList;
  return {
    zeroBytes,
    otherBytes: bytes.length - zeroBytes,
    accessedAddresses: isCounted ? accessList.addresses : accessList.length,
    accessedKeys: isCounted
      ? accessList.addresses * accessList.keysEach
      : accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0),
    authorizations: 'count' in authorizations ? authorizations.count : authorizations.length,
    blobs: made.blobVersionedHashes?.length ?? 0,
    creates: made.to === null,
    isToSelf: made.to === made.from,
    hasValue: made.value !== '0',
  };
}

describe.each(['osaka', 'amsterdam'] as const)('by the rules of %s, a transaction', (name) => {
  it('needs the gas of the published vectors, and is refused for all of their reasons', () => {
    expect(all.length).toBeGreaterThan(400);
    for (const made of all) {
      const { intrinsic, floor, min, reasons = [] } = made[name];
      const parts = partsOf(made);
      expect(gasNeeded(parts, RULES[name]), made.id).toEqual({ intrinsic, floor, min });
      const problems = gasProblems(parts, BigInt(made.gasLimit), RULES[name], BigInt(made.blockGasLimit));
      expect(problems.toSorted(), made.id).toEqual(reasons.toSorted());
    }
  });
});
