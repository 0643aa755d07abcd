import { Module } from '@nestjs/common';

/** Stands for the module of the application that the page mounts an agent on. */
export class AppModule {}
Module({})(AppModule);
