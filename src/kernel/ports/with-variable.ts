/**
 * Do something while an environment variable of this process has a value, for a library that starts a program and has no other
 * way to give it a variable. A value that the variable has already stays. `work` starts the program before it returns.
 */
export type WithVariable = <Result>(name: string, value: string, work: () => Result) => Result;
