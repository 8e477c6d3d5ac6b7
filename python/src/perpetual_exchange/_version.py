# The version of the package: that of package.json, which a test compares.
VERSION = "0.2.0"
