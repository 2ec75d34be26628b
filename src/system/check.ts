// Checks of what comes from outside. A schema is compiled by the first value that it is asked about: there are dozens,
// and most processes need a few. From then on the compiled check is asked itself.

import type { StaticEncode, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';

type Compiled<Schema extends TSchema> = Validator<Record<never, never>, Schema>;

export interface SchemaCheck<Schema extends TSchema> {
  Check(value: unknown): value is StaticEncode<Schema>;
  Errors: Compiled<Schema>['Errors'];
}

export function checkOf<const Schema extends TSchema>(schema: Schema): SchemaCheck<Schema> {
  const compile = () => {
    const compiled = Compile<Schema, Compiled<Schema>>(schema);
    check.Check = compiled.Check.bind(compiled) as SchemaCheck<Schema>['Check'];
    check.Errors = compiled.Errors.bind(compiled);
    return compiled;
  };
  const check: SchemaCheck<Schema> = {
    Check: (value): value is StaticEncode<Schema> => compile().Check(value),
    Errors: (value) => compile().Errors(value),
  };
  return check;
}
