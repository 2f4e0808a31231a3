import type { Hex } from '../../src/core/block.ts';

export const word = (value: bigint): string => BigInt.asUintN(256, value).toString(16).padStart(64, '0');

/** What `latestRoundData()` answers. */
export const round = (answer: bigint, updatedAt: number): Hex =>
  `0x${[1n, answer, BigInt(updatedAt), BigInt(updatedAt), 1n].map(word).join('')}`;

/** For `anvil_setCode`: `decimals()` jumps to byte 28; all else returns the 160 bytes from byte 39 on, behind the code. */
export const feedCode = (answer: bigint, updatedAt: number): Hex =>
  `0x60003560e01c8063313ce56714601c5760a0602760003960a06000f35b600860005260206000f3${round(answer, updatedAt).slice(2)}`;
