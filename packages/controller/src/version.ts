// The version of this build: that of the package.

import packageJson from '../package.json' with { type: 'json' };

export const VERSION = packageJson.version;
