<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en">
<context>
    <name>ContextMeter</name>
    <message numerus="yes">
        <source>%n old turn(s) do not fit and will be left out.</source>
        <translation>
            <numerusform>%n old turn does not fit and will be left out.</numerusform>
            <numerusform>%n old turns do not fit and will be left out.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LivePanel</name>
    <message numerus="yes">
        <source>%n old turn(s) did not fit and were left out.</source>
        <translation>
            <numerusform>%n old turn did not fit and was left out.</numerusform>
            <numerusform>%n old turns did not fit and were left out.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>_Counts</name>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n token</numerusform>
            <numerusform>%n tokens</numerusform>
        </translation>
    </message>
</context>
</TS>
