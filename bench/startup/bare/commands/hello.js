import { Args, Command, Flags } from '@oclif/core';

export class Hello extends Command {
  static summary = 'Say hello.';
  static args = { person: Args.string({ description: 'The person to greet.', required: true }) };
  static flags = { from: Flags.string({ char: 'f', summary: 'Who greets.', default: 'me' }) };

  async run() {
    const { args, flags } = await this.parse(Hello);
    const { greeting } = await import('../work.js');
    this.log(greeting(args.person, flags.from));
  }
}
