import { parseAbi, toFunctionSelector, toFunctionSignature } from 'viem/utils';

/** Each line of words describes the declarations above it. Unlimited, revoked and nested ones: `describe-call.ts`. */
const DECLARED = `
# ERC-20, ERC-721, ERC-1155
transfer(address to, uint256 amount)
  sends {amount} base units of token {contract} to {to}
transferFrom(address from, address to, uint256 amount)
  moves {amount} base units (of an NFT: that number) of token {contract} from {from} to {to}
approve(address spender, uint256 amount)
  lets {spender} spend {amount} base units of token {contract} (of an NFT: lets it move number {amount})
increaseAllowance(address spender, uint256 addedValue)
  lets {spender} spend {addedValue} more base units of token {contract}
decreaseAllowance(address spender, uint256 subtractedValue)
  lets {spender} spend {subtractedValue} fewer base units of token {contract}
permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
  lets {spender} spend {value} base units of token {contract} of {owner}
permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)
  {allowed} ? lets {spender} spend an unlimited amount of token {contract} of {holder} : takes back (revokes) what {spender} may spend of token {contract} of {holder}
setApprovalForAll(address operator, bool approved)
  {approved} ? lets {operator} move every NFT of {contract} : takes back (revokes) that {operator} may move NFTs of {contract}
safeTransferFrom(address from, address to, uint256 tokenId)
safeTransferFrom(address from, address to, uint256 tokenId, bytes data)
  moves NFT {tokenId} of {contract} from {from} to {to}
safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)
  moves {amount} of token number {id} of {contract} from {from} to {to}
safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] amounts, bytes data)
  moves tokens {ids} of {contract} from {from} to {to}
mint()
  mints at {contract}
mint(uint256 amount)
  mints {amount} at {contract}
mint(address to)
safeMint(address to)
  mints at {contract} for {to}
mint(address to, uint256 amount)
  mints {amount} at {contract} for {to}
burn(uint256 amount)
  burns {amount} of {contract}
# WETH and vaults
deposit()
  deposits the value it sends at {contract} (wraps it, if that is WETH)
withdraw(uint256 amount)
  withdraws {amount} base units from {contract} (unwraps them, if that is WETH)
deposit(uint256 assets, address receiver)
  deposits {assets} base units at vault {contract} for {receiver}
withdraw(uint256 assets, address receiver, address owner)
  withdraws {assets} base units of {owner} from vault {contract} to {receiver}
redeem(uint256 shares, address receiver, address owner)
  redeems {shares} shares of {owner} in vault {contract} to {receiver}
# Permit2
approve(address token, address spender, uint160 amount, uint48 expiration)
  lets {spender} spend {amount} base units of token {token}
# Uniswap V2 router, and those made after it (the one for V3 has some without a deadline)
swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)
swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to)
swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)
  swaps {amountIn} base units of {path.first} for at least {amountOutMin} of {path.last}, to {to}
swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)
swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to)
  swaps at most {amountInMax} base units of {path.first} for {amountOut} of {path.last}, to {to}
swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)
swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)
  swaps the value it sends for at least {amountOutMin} base units of {path.last}, to {to}
swapETHForExactTokens(uint256 amountOut, address[] path, address to, uint256 deadline)
  swaps at most the value it sends for {amountOut} base units of {path.last}, to {to}
swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)
swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)
  swaps {amountIn} base units of {path.first} for at least {amountOutMin} wei, to {to}
swapTokensForExactETH(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)
  swaps at most {amountInMax} base units of {path.first} for {amountOut} wei, to {to}
addLiquidityETH(address token, uint256 amountTokenDesired, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline)
  adds {amountTokenDesired} base units of {token} and the value it sends to a pool, for {to}
# Uniswap V3 routers: the first has deadlines, the second none
exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)
exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)
  swaps {amountIn} base units of {tokenIn} for at least {amountOutMinimum} of {tokenOut}, to {recipient}
exactInput((bytes path, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum) params)
exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum) params)
  swaps {amountIn} base units of {path.first} for at least {amountOutMinimum} of {path.last}, to {recipient}
exactOutputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountOut, uint256 amountInMaximum, uint160 sqrtPriceLimitX96) params)
exactOutputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountOut, uint256 amountInMaximum, uint160 sqrtPriceLimitX96) params)
  swaps at most {amountInMaximum} base units of {tokenIn} for {amountOut} of {tokenOut}, to {recipient}
# The path of an exact output goes backwards.
exactOutput((bytes path, address recipient, uint256 deadline, uint256 amountOut, uint256 amountInMaximum) params)
exactOutput((bytes path, address recipient, uint256 amountOut, uint256 amountInMaximum) params)
  swaps at most {amountInMaximum} base units of {path.last} for {amountOut} of {path.first}, to {recipient}
unwrapWETH9(uint256 amountMinimum, address recipient)
  unwraps at least {amountMinimum} wei of WETH, to {recipient}
refundETH()
  takes back the value that is left over
sweepToken(address token, uint256 amountMinimum, address recipient)
  takes what {contract} has of {token}, at least {amountMinimum} base units, to {recipient}
# Uniswap Universal Router
execute(bytes commands, bytes[] inputs, uint256 deadline)
execute(bytes commands, bytes[] inputs)
  runs a Uniswap router
# 1inch routers, fifth and sixth
swap(address executor, (address srcToken, address dstToken, address srcReceiver, address dstReceiver, uint256 amount, uint256 minReturnAmount, uint256 flags) desc, bytes permit, bytes data)
swap(address executor, (address srcToken, address dstToken, address srcReceiver, address dstReceiver, uint256 amount, uint256 minReturnAmount, uint256 flags) desc, bytes data)
  swaps {amount} base units of {srcToken} for at least {minReturnAmount} of {dstToken}, to {dstReceiver}
# MetaMask
swap(string aggregatorId, address tokenFrom, uint256 amount, bytes data)
  swaps {amount} base units of {tokenFrom} by {aggregatorId} through MetaMask
# What carries other calls
multicall(bytes[] data)
multicall(uint256 deadline, bytes[] data)
multicall(bytes32 previousBlockhash, bytes[] data)
aggregate((address target, bytes callData)[] calls)
tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls)
aggregate3((address target, bool allowFailure, bytes callData)[] calls)
aggregate3Value((address target, bool allowFailure, uint256 value, bytes callData)[] calls)
  makes calls
execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)
  has Safe {contract} call {to}
# ENS, the controllers in their order
commit(bytes32 commitment)
  commits to a registration at {contract}, without telling the name yet
register(string name, address owner, uint256 duration, bytes32 secret)
registerWithConfig(string name, address owner, uint256 duration, bytes32 secret, address resolver, address addr)
register(string name, address owner, uint256 duration, bytes32 secret, address resolver, bytes[] data, bool reverseRecord, uint16 ownerControlledFuses)
  registers the name {name} for {owner}, for {duration} seconds
register((string label, address owner, uint256 duration, bytes32 secret, address resolver, bytes[] data, uint8 reverseRecord, bytes32 referrer) registration)
  registers the name {label} for {owner}, for {duration} seconds
renew(string name, uint256 duration)
renew(string name, uint256 duration, bytes32 referrer)
  renews the name {name} for {duration} seconds
`;

let bySelector: ReadonlyMap<string, ReturnType<typeof readFunction>> | null = null;

/** All known functions. Their selectors are hashed at the first use. */
export function knownFunctions() {
  bySelector ??= new Map(readDeclared().map((known) => [known.selector, known]));
  return bySelector;
}

function readDeclared() {
  let words = '';
  // From the end, because the words follow their declarations.
  return DECLARED.split('\n')
    .reverse()
    .flatMap((line) => {
      if (line.startsWith('  ')) words = line.trim();
      return line === '' || line.startsWith('#') || line.startsWith('  ') ? [] : [readFunction(line, words)];
    });
}

/** Words have `{argument}`, `{argument.first}` or `{argument.last}` of a path or list, `{contract}`; `{flag} ? one : other`. */
function readFunction(text: string, words: string) {
  const declared: readonly string[] = [`function ${text}`];
  const [item] = parseAbi(declared);
  if (item?.type !== 'function') throw new Error(`${text} is no function`);
  const { name, inputs } = item;
  return { name, signature: toFunctionSignature(item), selector: toFunctionSelector(item), inputs, words };
}
