import { isUnlimited } from './abi-text.ts';
import type { CallArguments } from './call-arguments.ts';

/** More than any token has, though not the most there is. */
const PRACTICALLY_UNLIMITED = 2n ** 128n;

/** Which argument says how much, or whether, and whose tokens they are. */
const APPROVALS: Readonly<
  Record<string, { readonly amount: string; readonly what: string; readonly ofNft?: string }>
> = {
  // ERC-721 has the same function, and 0 is the number of an NFT like any other.
  'approve(address,uint256)': {
    amount: 'amount',
    what: 'token {contract}',
    ofNft: ' (of an NFT: lets it move number {amount})',
  },
  'approve(address,address,uint160,uint48)': { amount: 'amount', what: 'token {token}' },
  'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)': {
    amount: 'value',
    what: 'token {contract} of {owner}',
  },
};
const SWITCHES: Readonly<
  Record<string, { readonly isOn: string; readonly on: string; readonly off: string }>
> = {
  'permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)': {
    isOn: 'allowed',
    on: 'lets {spender} spend an unlimited amount of token {contract} of {holder}',
    off: 'takes back (revokes) what {spender} may spend of token {contract} of {holder}',
  },
  'setApprovalForAll(address,bool)': {
    isOn: 'approved',
    on: 'lets {operator} move every NFT of {contract}',
    off: 'takes back (revokes) that {operator} may move NFTs of {contract}',
  },
};

/** What an approval says, which is what people must not miss: unlimited, or revoked; `null`: it is none. */
export function approvalWords(signature: string, call: CallArguments): string | null {
  const onOff = SWITCHES[signature];
  if (onOff !== undefined) return call.fill(call.isTrue(onOff.isOn) ? onOff.on : onOff.off);
  const approval = APPROVALS[signature];
  if (approval === undefined) return null;
  const amount = call.value(approval.amount);
  if (amount?.kind !== 'integer') return null;
  const { what, ofNft = '' } = approval;
  if (amount.value === 0n) {
    return call.fill(`takes back (revokes) what {spender} may spend of ${what}${ofNft}`);
  }
  if (isUnlimited(amount)) return call.fill(`lets {spender} spend an unlimited amount of ${what}`);
  if (amount.value >= PRACTICALLY_UNLIMITED) {
    return call.fill(`lets {spender} spend a practically unlimited amount of ${what}${ofNft}`);
  }
  return call.fill(`lets {spender} spend {${approval.amount}} base units of ${what}${ofNft}`);
}
