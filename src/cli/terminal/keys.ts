export interface Keys {
  readonly [key: string]: () => void;
  /** Ctrl-C, which a terminal in raw mode sends as a key. */
  readonly interrupt: () => void;
}

const controlC = '\u0003';

/** Call the function of each key as it is pressed; returns how to give the terminal back. */
export function listenToKeys(keys: Keys): () => void {
  const { stdin } = process;
  const onData = (data: Buffer) => {
    for (const key of data.toString('utf8')) {
      if (key === controlC) keys.interrupt();
      else if (key !== 'interrupt') keys[key.toLowerCase()]?.();
    }
  };
  stdin.setRawMode(true);
  stdin.on('data', onData);
  stdin.resume();
  return () => {
    stdin.off('data', onData);
    stdin.setRawMode(false);
    stdin.pause();
  };
}
