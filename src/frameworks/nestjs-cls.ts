import { AsyncLocalStorage } from "node:async_hooks";
import { outsideOfTransactions } from "../ambient.js";
import { ConfigurationError } from "../errors.js";
import type { RunOptions, TransactionManager } from "../transaction-manager.js";

/** What `@nestjs-cls/transactional` asks of an adapter. */
export interface NestjsClsAdapter<Handle> {
  readonly connection: TransactionManager;
  readonly optionsFactory: (connection: unknown) => {
    wrapWithTransaction(
      options: RunOptions,
      method: () => Promise<unknown>,
      setTx: (tx?: Handle) => void,
    ): Promise<unknown>;
    wrapWithNestedTransaction(
      options: RunOptions,
      method: () => Promise<unknown>,
      setTx: (tx?: Handle) => void,
    ): Promise<unknown>;
    getFallbackInstance(): Handle;
  };
}

/**
 * Lets `@Transactional()` and `TransactionHost` of `@nestjs-cls/transactional` open their transactions through a manager
 * of this package, so that `transactions.run`, `transactions.current` and `enqueue` join them, and a commit is proved.
 * Give it to `new ClsPluginTransactional({ adapter })`. Their options are those of `run`. `Propagation.Nested` is a
 * savepoint, `RequiresNew` a transaction of its own; the other words mean what they always do.
 *
 * @param outside what `txHost.tx` is where no transaction is open: the library's own client
 */
export function nestjsClsAdapter<Handle, Outside>(
  transactions: TransactionManager<Handle>,
  outside: Outside,
): NestjsClsAdapter<Handle | Outside> {
  const opened = new AsyncLocalStorage<true>();

  const open = async (options: RunOptions, method: () => Promise<unknown>, setTx: (tx?: Handle | Outside) => void) => {
    const run = () =>
      opened.run(true, () =>
        transactions.run((tx) => {
          setTx(tx.handle);
          return method();
        }, options),
      );
    // The framework asks for another transaction while one of its own is open only when that is to be a separate one.
    const { value } = await (opened.getStore() === true ? outsideOfTransactions(run) : run());
    return value;
  };

  return {
    connection: transactions,
    optionsFactory: () => ({
      wrapWithTransaction: open,
      async wrapWithNestedTransaction(_options, method, setTx) {
        const outer = transactions.current();
        if (outer === undefined) {
          throw new ConfigurationError("`Propagation.Nested` met a transaction that this adapter has not opened.");
        }
        return outer.savepoint((tx) => {
          setTx(tx.handle);
          return method();
        });
      },
      getFallbackInstance: () => outside,
    }),
  };
}
