export interface Keys {
  readonly [key: string]: () => void;
  /** Ctrl-C, which a terminal in raw mode sends as a key. */
  readonly interrupt: () => void;
}

const controlC = '\u0003';
const controlZ = '\u001A';

/** A job that a shell stops does not live that long after it asks to be stopped. */
const stopMs = 100;

/** Call the function of each key as it is pressed; returns how to give the terminal back. */
export function listenToKeys(keys: Keys): () => void {
  const { stdin } = process;
  const onData = (data: Buffer) => {
    for (const key of data.toString('utf8')) {
      if (key === controlC) keys.interrupt();
      else if (key === controlZ) suspend();
      else if (key !== 'interrupt') keys[key.toLowerCase()]?.();
    }
  };
  let retaking: NodeJS.Timeout | undefined;
  const take = () => {
    clearTimeout(retaking);
    process.off('SIGCONT', take);
    stdin.setRawMode(true);
    stdin.on('data', onData);
    stdin.resume();
  };
  const giveBack = () => {
    stdin.off('data', onData);
    stdin.setRawMode(false);
    stdin.pause();
  };
  /**
   * In raw mode the terminal sends no signal. The whole job stops, with the package runner that started it. Where no shell could continue
   * it, as in a container, the system stops nothing, and the keys count again.
   */
  const suspend = () => {
    if (process.platform === 'win32') return;
    giveBack();
    process.once('SIGCONT', take);
    process.kill(0, 'SIGTSTP');
    retaking = setTimeout(take, stopMs);
  };
  take();
  return () => {
    clearTimeout(retaking);
    process.off('SIGCONT', take);
    giveBack();
  };
}
