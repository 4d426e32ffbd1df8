/**
 * A transaction that its library ends when a callback does, turned round: the callback waits until it is told how to
 * end.
 */
export class HeldTransaction<Handle> {
  readonly handle: Handle;
  /** Settles when the library has ended the transaction: as it was told, or by itself when the connection is lost. */
  readonly ended: Promise<unknown>;
  readonly #commit: () => void;
  readonly #rollBack: (reason: unknown) => void;
  #toldHowToEnd = false;

  private constructor(
    handle: Handle,
    ended: Promise<unknown>,
    ending: { readonly commit: () => void; readonly rollBack: (reason: unknown) => void },
  ) {
    this.handle = handle;
    this.ended = ended;
    this.#commit = ending.commit;
    this.#rollBack = ending.rollBack;
  }

  /**
   * @param transaction the library's function: runs the callback in a transaction
   * @throws whatever kept the transaction from beginning
   */
  static open<Handle>(
    transaction: (work: (handle: Handle) => Promise<void>) => Promise<unknown>,
  ): Promise<HeldTransaction<Handle>> {
    return new Promise((resolve, reject) => {
      const ended: Promise<unknown> = transaction((handle) => {
        return new Promise<void>((commit, rollBack) => {
          // Asked for later, because `ended` has no value yet where a library calls back at once.
          queueMicrotask(() => {
            resolve(new HeldTransaction(handle, ended, { commit, rollBack }));
          });
        });
      });
      // Before the callback runs this is a failed BEGIN; after it, nobody listens to this promise any more.
      ended.catch(reject);
    });
  }

  /** Settles as the library's promise does, which may be a lie. */
  async commit(): Promise<void> {
    this.#toldHowToEnd = true;
    this.#commit();
    await this.ended;
  }

  /** Rejects when the library could not roll back. After a commit that failed, the library has done so already. */
  async rollback(): Promise<void> {
    const hasEnded = this.#toldHowToEnd;
    const reason = new Error("rolled back");
    this.#toldHowToEnd = true;
    this.#rollBack(reason);
    await this.ended.catch((error: unknown) => {
      if (!hasEnded && error !== reason) throw error;
    });
  }
}
